/** As much of it as the benchmark uses; the package has no types. */
declare module 'turndown' {
  export default class TurndownService {
    constructor(options?: { headingStyle?: 'atx'; codeBlockStyle?: 'fenced' });
    use(plugin: unknown): this;
    turndown(html: unknown): string;
  }
}
