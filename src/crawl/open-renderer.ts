import type { Clock } from '../base/clock.js';
import type { CrawlOptions } from '../config/options.js';
import { Browser } from '../render/browser.js';
import { AssetDesk, type AssetDeskParts } from './asset-desk.js';
import type { RenderMode } from './reading.js';
import { RenderShapes } from './render-shapes.js';
import { Renderer, type RendererParts } from './renderer.js';
import type { StoreThread } from './threads/store-thread.js';

type Given = Pick<RendererParts, 'read' | 'rendered' | 'notice' | 'changed'> &
  Pick<AssetDeskParts, 'admit' | 'isTrap' | 'isGuarded'> & { mode: RenderMode; browser: Browser; store: StoreThread };

export function browserFor(
  { timeoutMs, maxBodyBytes }: Pick<CrawlOptions, 'timeoutMs' | 'maxBodyBytes'>,
  clock: Clock,
): Browser {
  return new Browser({ timeoutMs, maxBytes: maxBodyBytes }, clock);
}

/** Null where no browser is to see any page. */
export async function openRenderer({
  mode,
  store,
  admit,
  isTrap,
  isGuarded,
  ...parts
}: Given): Promise<Renderer | null> {
  if (mode === 'never') {
    return null;
  }
  const kept = (id: number) => store.kept(id);
  return new Renderer({
    ...parts,
    mode,
    assets: new AssetDesk({ admit, kept, isTrap, isGuarded }),
    shapes: new RenderShapes(await store.renderShapes()),
    waiting: (beyond, limit) => store.toRender(beyond, limit),
    kept,
  });
}
