// Who is signed in. The workbook of one learner has no accounts and answers `single`.
import { get, post, remove } from './client';

export type Role = 'learner' | 'instructor';

export interface Person {
  id: number;
  login: string;
  name: string;
  role: Role;
}

export type Session =
  | { form: 'single' }
  | { form: 'class'; class: string; person: Person | null; token: string | null; limits: { source_bytes: number } };

export interface Invitation {
  class: string;
  name: string;
  login: string;
  role: Role;
  expires_ms: number;
}

export const session = (): Promise<Session> => get('/api/session');
export const signIn = (login: string, password: string): Promise<Session> => post('/api/session', { login, password });
export const signOut = (): Promise<unknown> => remove('/api/session');

const ofInvitation = (token: string): string => `/api/invitations/${encodeURIComponent(token)}`;
export const invitation = (token: string): Promise<Invitation> => get(ofInvitation(token));
export const accept = (token: string, password: string): Promise<Session> => post(ofInvitation(token), { password });
