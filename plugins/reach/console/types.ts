import type { Locale, LocalizedText } from '#plugin-api'
import type { SlotName } from '#plugin-api/console'

/** Something that a plugin adds to a place of the console. */
export interface ConsoleSlot {
  slot: SlotName
  /**
   * An ES module whose default export is a `MountSlot`: a path in the plugin's folder, such as `console/notes.js`, or its
   * `file:` URL. Everybody may load it and what else its folder holds, which is for this alone.
   */
  module: string
  /** The words in a menu, on a tab, or above a section; the name of the plugin if missing. */
  label?: LocalizedText
  /** The `d` of an SVG path of 24 by 24, which is drawn as a line. */
  icon?: string
  /** Where and for whom it is shown; its routes have guards of their own. */
  when?: {
    /** For accounts with this permission. */
    permission?: string
    /** At messages of this role, in `message.actions`. */
    role?: 'user' | 'assistant'
  }
  /** Says if it can work now; while it cannot, no page loads it. A page learns of a change when it is opened again. */
  isOffered?(): boolean | Promise<boolean>
  /** The address of a page, such as `/notes`, in `pages` and `admin.pages`; below the plugin's name if missing. */
  path?: string
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** The entries of plugins in places of the console. */
    'console.slots': ConsoleSlot
    /** Lists services to sign in with, besides passwords, with their names in a language. */
    'console.sign_in': (request: {
      locale: Locale
    }) => Promise<readonly { kind: string; display_name: string }[]>
    /** The currency of costs, prices and budgets, as an ISO 4217 code. At most one plugin answers. */
    'console.currency': (question: object) => string
  }
}
