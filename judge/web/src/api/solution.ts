// The reference solution, once it is open.
import { get, ofTask } from './client';

export const solution = (id: string): Promise<{ text: string }> => get(ofTask(id, '/solution'));
