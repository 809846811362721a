/** How a file of the tree refers to another, as the target of a link: relative, escaped. */
export function relativeLink(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const target = to.split('/');
  let shared = 0;
  while (shared < folders.length && shared < target.length - 1 && folders[shared] === target[shared]) shared++;
  return [...folders.slice(shared).map(() => '..'), ...target.slice(shared).map(escaped)].join('/');
}

/** Brackets would end a link in Markdown. */
const escaped = (name: string): string =>
  encodeURIComponent(name).replace(/[()'!*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
