/** What GitHub leaves out of an id: all but letters, marks, digits, connecting punctuation, hyphens and spaces. */
const LEFT_OUT = /[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]/gu;

/** The ids that GitHub gives to the headings of one file, in their order. */
export class Slugger {
  readonly #seen = new Map<string, number>();

  idOf(heading: string): string {
    const plain = heading.toLowerCase().replace(LEFT_OUT, '').replaceAll(' ', '-');
    let id = plain;
    while (this.#seen.has(id)) {
      const count = this.#seen.get(plain)! + 1;
      this.#seen.set(plain, count);
      id = `${plain}-${count}`;
    }
    this.#seen.set(id, 0);
    return id;
  }
}
