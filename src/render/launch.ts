import type { Browser, LaunchOptions } from 'playwright-core';

const LOCKS = [
  // Every request is answered before it leaves the browser. Should one ever escape that, there is no name, no address and no proxy for it.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--no-pings',
  '--dns-prefetch-disable',
];
const LIGHT = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--mute-audio',
  '--blink-settings=imagesEnabled=false',
  '--js-flags=--max-old-space-size=512',
];
/** By it scripts could open windows without a click. */
const UNWANTED = ['--disable-popup-blocking'];

/** playwright-core is optional: null where it is not installed. */
export async function loadPlaywright(): Promise<typeof import('playwright-core') | null> {
  try {
    return await import('playwright-core');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
      return null;
    }
    throw error;
  }
}

/** Starts the browser, with a profile that is gone when it ends. */
export function launch(playwright: typeof import('playwright-core'), path: string): Promise<Browser> {
  const options: LaunchOptions = {
    executablePath: path,
    headless: true,
    args: [...LOCKS, ...LIGHT],
    ignoreDefaultArgs: UNWANTED,
    // Its sandbox needs rights that root in a container does not have.
    chromiumSandbox: process.getuid?.() !== 0,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: 30_000,
  };
  return playwright.chromium.launch(options);
}
