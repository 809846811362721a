/** Says that a package is missing which need not be installed, and what to type: one clause, for whoever could make use of it. */
export const notInstalled = (name: string): string =>
  `${name} is not installed: type \`${installer()} ${name}\`, with -g where gossamer is global`;

/** By whom the program was started; by npm, where nobody says. */
function installer(): string {
  const agent = /^(pnpm|yarn|bun)\//.exec(process.env.npm_config_user_agent ?? '')?.[1];
  return agent === undefined ? 'npm install' : `${agent} add`;
}
