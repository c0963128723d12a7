import type { Locale, LocalizedText } from '#kernel'

/** A page that a plugin adds to the console. */
export interface ConsolePage {
  /** Its address, such as `/notes`; the console's own addresses take precedence. */
  path: string
  /** The words in the menu. */
  title: LocalizedText
  /** The permission without which the menu does not show it; the routes that it calls have guards of their own. */
  permission?: string
  /** The `file:` URL of an ES module. Everybody may load it and what else its folder holds, which is for this alone. */
  module: string
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Pages of the console. */
    'console.page': ConsolePage
    /** Lists services to sign in with, besides passwords, with their names in a language. */
    'console.sign_in': (request: {
      locale: Locale
    }) => Promise<readonly { kind: string; display_name: string }[]>
  }
}
