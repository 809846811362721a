import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { shown } from './format.js';

/** A sheet at the side, or a box in the middle. The browser keeps the focus in it, closes it with Escape and gives the focus back. */
export function Drawer({
  title,
  close,
  kind = 'drawer',
  children,
}: {
  title: string;
  close(): void;
  kind?: string;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current!.showModal();
  }, []);
  return (
    <dialog
      ref={box}
      class={kind}
      aria-label={shown(title)}
      onClose={close}
      onClick={(event) => {
        if (event.target === box.current) {
          box.current?.close();
        }
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="sheet">
        <div class="sheet-head">
          <h2>{shown(title)}</h2>
          <button type="button" class="close" aria-label="Close" onClick={() => box.current!.close()}>
            ✕
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** Left out where there is nothing to say. */
export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  if (children === null || children === undefined || children === '') {
    return null;
  }
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

const TYPING_MS = 250;

/** Tells of a change once nobody types any more. */
export function Search({ label, value, onChange }: { label: string; value: string; onChange(text: string): void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) {
      return;
    }
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      maxLength={500}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
