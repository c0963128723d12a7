// The types of modules that plugins add to the console.
import type { Client } from '#client'
import type { Locale } from '#kernel'

/** The places of the console to which plugins add something. */
export const CONSOLE_SLOTS = [
  'message.actions',
  'composer.actions',
  'composer.options',
  'thread.menu',
  'agent.tabs',
  'account.sections',
  'admin.pages',
  'overview.cards',
  'pages',
] as const

/** One of these places. */
export type SlotName = (typeof CONSOLE_SLOTS)[number]

/** The facts about the place of a slot, and the ways in which a module can act on the console. */
export interface SlotContext {
  /** The console's client of the API, signed in as the person who looks at it. */
  client: Client
  /**
   * Calls a route: resolves to the parsed reply, or to a `Blob` if the reply is not JSON; rejects with the `code` and the
   * `message` of a refusal. `path` is below `/api`, e.g. `/notes`; `signal` ends the call.
   */
  request(
    method: string,
    path: string,
    body?: object | FormData,
    options?: { signal?: AbortSignal },
  ): Promise<unknown>
  locale: Locale
  theme: 'light' | 'dark'
  /** The agent, in slots of a conversation and of an agent. */
  agent_id?: string
  /** The conversation; missing before its first turn. */
  thread_id?: string
  /** The message, in `message.actions`. */
  message_id?: string
  /** The words of the message in Markdown, in `message.actions`. */
  text?: string
  /** Shows a short message at the edge of the page. */
  toast(text: string): void
  /** Inserts text at the cursor of the composer, which gets the focus; does nothing without a composer. */
  insert(text: string): void
}

/** A module that is shown. */
export interface MountedSlot {
  /** Called when something of the context has changed. */
  update?(context: SlotContext): void
  /** Called before the element is removed. */
  unmount(): void
}

/** `HTMLElement`, where the types of browsers are there. */
export type SlotElement = typeof globalThis extends { HTMLElement: { prototype: infer Element } }
  ? Element
  : object

/** The default export of a module: fills an element that the console has made for it. */
export type MountSlot = (element: SlotElement, context: SlotContext) => MountedSlot
