/** Says that a package is missing which need not be installed, and what to type: one clause, for whoever could make use of it. */
export const notInstalled = (name: string): string =>
  `${name} is not installed: type \`npm install ${name}\`, with -g where gossamer is global`;
