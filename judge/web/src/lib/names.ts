// Names and logins are whatever somebody typed. Svelte escapes HTML; here the rest is made harmless: signs that steer a terminal or turn the
// order of what follows are shown, not obeyed. Names also stand in <bdi>, so that a name written from right to left turns nothing beside it.

const kControl = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/g;
const kPictures = 0x2400; // U+2400: pictures of the first 32 control characters

export const visible = (text: string): string =>
  text.replace(kControl, (sign) => {
    const code = sign.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(kPictures + code) : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
  });

/// As visible(), for texts of several lines.
export const visibleText = (text: string): string => text.split('\n').map((line) => line.split('\t').map(visible).join('\t')).join('\n');
