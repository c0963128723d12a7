import { countRows } from '../columns.ts'
import type { Screen } from '../screen.ts'
import { createBlockSplitter, type FinishedPart } from './blocks.ts'
import { renderCodeLine, renderLanguage, renderMarkdown } from './render.ts'
import type { Row } from './spans.ts'

/** Longer blocks are shown as they are, so that none takes long to lay out. */
const MAX_BLOCK_CHARS = 20_000

/** Returns Markdown as lines for a terminal, in the styles of a screen. */
export const paintMarkdown = (screen: Screen, text: string): string =>
  paintRows(screen, renderMarkdown(text, screen.columns))

const paintRows = (screen: Screen, rows: readonly Row[]): string =>
  rows
    .map((row) =>
      row.map(({ text, styles }) => (styles.length > 0 ? screen.paint([...styles], text) : text)).join(''),
    )
    .join('\n')

/**
 * Creates the writer of Markdown that arrives in pieces: finished blocks are laid out, the running one is shown as it
 * comes and replaced in one write. The pieces must be clean.
 */
export function createLiveMarkdown(screen: Screen) {
  const splitter = createBlockSplitter()
  /** The text of the running block that is on the screen. */
  let shown = ''
  let isGapShown = false

  const paintPart = ({ kind, text }: FinishedPart): string => {
    const { columns } = screen
    if (kind === 'language') return paintRows(screen, renderLanguage(text))
    if (kind === 'code') return paintRows(screen, renderCodeLine(text, columns))
    return text.length > MAX_BLOCK_CHARS ? text : paintRows(screen, renderMarkdown(text, columns))
  }

  const replaceRunning = (parts: readonly FinishedPart[]) => {
    const rows = countRows(shown, screen.columns)
    // Rows that have left the screen cannot be replaced: such a block stays as it came.
    const canErase = shown === '' || rows < screen.rows
    const remaining = canErase ? parts : parts.slice(1)
    const erased = canErase && shown !== '' ? rows : 0
    const text = remaining
      .map((part, index) => `${part.hasGap && !(index === 0 && isGapShown) ? '\n' : ''}${paintPart(part)}\n`)
      .join('')
    screen.replaceRows(erased, canErase ? text : `\n${text}`)
    shown = ''
    isGapShown = false
  }

  const showRunning = () => {
    const { text, isCode, hasGap } = splitter.running
    const visible = isCode && text !== '' ? `│ ${text}` : text
    if (visible === shown) return
    if (shown === '' && hasGap && !isGapShown) {
      screen.writeClean('\n')
      isGapShown = true
    }
    if (visible.startsWith(shown)) screen.writeClean(visible.slice(shown.length))
    else eraseRunning(visible)
    shown = visible
  }

  const eraseRunning = (replacement = '') => {
    if (shown === '') return
    const rows = countRows(shown, screen.columns)
    if (rows < screen.rows) screen.replaceRows(rows, replacement)
    shown = ''
  }

  return {
    /** Shows a further piece. */
    write(piece: string) {
      const parts = splitter.add(piece)
      if (parts.length > 0) replaceRunning(parts)
      showRunning()
    },
    /** Makes room for a remark; the running block is shown again with the next piece. */
    interrupt: () => eraseRunning(),
    /** Lays out what is still running. */
    end() {
      const parts = splitter.end()
      if (parts.length > 0) replaceRunning(parts)
    },
  }
}

/** Writes Markdown that arrives in pieces. */
export type LiveMarkdown = ReturnType<typeof createLiveMarkdown>
