import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import type {} from 'remark-parse'
import type { Processor } from 'unified'

/** A plugin of remark: tables, tasks, footnotes, addresses and strikethrough. It only reads them, and so is small. */
export function remarkGfm(this: Processor): undefined {
  const data = this.data()
  data.micromarkExtensions ??= []
  data.fromMarkdownExtensions ??= []
  // A single tilde means "about" or "to".
  data.micromarkExtensions.push(gfm({ singleTilde: false }))
  data.fromMarkdownExtensions.push(gfmFromMarkdown())
}
