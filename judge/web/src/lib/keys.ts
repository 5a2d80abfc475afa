// The keys of the pages. Letters are compared by their place on the keyboard, because Alt with a letter types another sign on some systems.

export interface Key {
  code: string;
  alt?: boolean;
  ctrl?: boolean;
}

export type Actions = Partial<Record<'run' | 'hint' | 'blank' | 'failed' | 'questions' | 'text' | 'map' | 'help', () => void>>;

const kKeys: Record<keyof Actions, Key> = {
  run: { code: 'Enter', ctrl: true },
  hint: { code: 'KeyH', alt: true },
  blank: { code: 'KeyB', alt: true },
  failed: { code: 'KeyF', alt: true },
  questions: { code: 'KeyQ', alt: true },
  text: { code: 'KeyT', alt: true },
  map: { code: 'KeyM', alt: true },
  help: { code: 'Slash', alt: true },
};

const isKey = (event: KeyboardEvent, key: Key): boolean =>
  (event.code === key.code || (key.code === 'Enter' && event.code === 'NumpadEnter')) &&
  event.altKey === (key.alt ?? false) &&
  (event.ctrlKey || event.metaKey) === (key.ctrl ?? false) &&
  !event.shiftKey;

/// Whether what is typed at the target is text.
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/// Runs the action whose key this is.
export function press(event: KeyboardEvent, actions: Actions): void {
  if (event.isComposing) return;
  for (const [name, key] of Object.entries(kKeys)) {
    const action = actions[name as keyof Actions];
    if (!action || !isKey(event, key)) continue;
    event.preventDefault();
    action();
    return;
  }
}
