// Figures of a text that can be stepped through. Each is a box with what it shows and a button; the viewer and the recording are loaded when
// somebody opens it.
import { mount, unmount } from 'svelte';
import { strings } from '../strings/strings';

/// Makes the boxes in `node` live; the answer takes down what was opened.
export function liven(node: HTMLElement): () => void {
  const opened = new Set<Record<string, unknown>>();
  for (const box of node.querySelectorAll<HTMLElement>('.step-through')) {
    const address = box.dataset.recording;
    if (!address) continue;
    const button = document.createElement('button'), place = document.createElement('div');
    let viewer: Record<string, unknown> | null = null;
    const label = (): void => {
      button.textContent = viewer ? strings().figure.close : strings().figure.open;
      button.setAttribute('aria-expanded', String(viewer !== null));
    };
    button.addEventListener('click', async () => {
      if (viewer) {
        opened.delete(viewer);
        void unmount(viewer);
        viewer = null;
      } else {
        button.disabled = true;
        const { default: StepThrough } = await import('../trace/StepThrough.svelte');
        button.disabled = false;
        viewer = mount(StepThrough, { target: place, props: { address } });
        opened.add(viewer);
      }
      label();
    });
    label();
    box.append(button, place);
  }
  return () => {
    for (const viewer of opened) void unmount(viewer);
    opened.clear();
  };
}
