import { type Attributes, hidesByStyle } from './html-elements.ts'

/** The style sheets of a page that are looked at, in characters. */
const MAX_STYLE_CHARS = 256 * 1024

/** The rules of a page's own style sheets that hide elements of a class or an id. */
export type HidingRules = ReturnType<typeof createHidingRules>

/** Creates the rules of a page. Rules for some media, or with any but a simple selector, are left out. */
export function createHidingRules() {
  const hidden = new Set<string>()
  let left = MAX_STYLE_CHARS

  const addRule = (selectors: string, declarations: string) => {
    const isHiding = hidesByStyle(declarations)
    for (const selector of selectors.split(',')) {
      const name = /^\s*([.#][\w-]+)\s*$/.exec(selector)?.[1]
      if (name && isHiding) hidden.add(name)
      // A later rule that shows it again.
      else if (name && /(^|;)\s*(display|visibility|opacity)\s*:/i.test(declarations)) hidden.delete(name)
    }
  }

  return {
    /** Adds a style sheet. */
    add(css: string): void {
      const source = css.slice(0, left).replace(/\/\*[\s\S]*?\*\//g, '')
      left -= source.length
      let depth = 0
      let selectors = ''
      for (const [, text = '', brace] of source.matchAll(/([^{}]*)([{}])/g)) {
        if (brace === '{') {
          if (depth === 0) selectors = text
          depth += 1
        } else {
          depth = Math.max(0, depth - 1)
          if (depth === 0 && !selectors.includes('@')) addRule(selectors, text)
        }
      }
    },

    /** True if a rule hides an element with such attributes. */
    hide({ class: classes, id }: Attributes): boolean {
      if (hidden.size === 0) return false
      if (id !== undefined && hidden.has(`#${id}`)) return true
      return classes?.split(/\s+/).some((name) => hidden.has(`.${name}`)) ?? false
    },
  }
}
