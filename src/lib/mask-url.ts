// A URL as it may be shown: its password is masked, and so is one in its query.

export function maskUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z\d+.-]*:\/\/[^\s:@/]*):[^\s]*@/i, "$1:***@")
    .replaceAll(/([?&][^=&\s]*password[^=&\s]*=)[^&\s]*/gi, "$1***");
}
