/** The end of a sentence which says that an optional package is missing, and how to install it. */
export const notInstalled = (name: string): string =>
  `${name} is not installed: type \`${installer()} ${name}\`, with -g where gossamer is global`;

/** How the program was installed; npm where the environment does not say. */
function installer(): string {
  const agent = /^(pnpm|yarn|bun)\//.exec(process.env.npm_config_user_agent ?? '')?.[1];
  return agent === undefined ? 'npm install' : `${agent} add`;
}
