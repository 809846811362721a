/** Makes equal strings one string: the JDK documentation has a million links to ten thousand pages. */
export function interner(): (text: string) => string {
  const kept = new Map<string, string>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) {
      return known;
    }
    kept.set(text, text);
    return text;
  };
}
