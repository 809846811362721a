/** The one part of undici that the program uses. The bundle holds this instead of the whole, which each thread would load: see scripts/build.js. */
export { default as Client } from 'undici/lib/dispatcher/client.js';
