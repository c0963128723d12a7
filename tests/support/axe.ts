import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** All rules; one theme is enough for most of them. */
export const ALL_RULES = ['wcag2a', 'wcag2aa', 'best-practice']

/** The rules of accessibility that a page breaks, each with the elements that break it. */
export async function findBarriers(page: Page, rules: string[]): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE)
  return page.evaluate<string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  )
}

/** Has the page follow another theme of the system, and waits until all of its colours have changed. */
export async function chooseTheme(page: Page, theme: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor({ state: 'attached' })
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
}
