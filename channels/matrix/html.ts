import { Marked } from 'marked'

/** Schemes of links that clients follow. */
const LINK = /^(?:https?|mailto|matrix|xmpp|magnet|ftp):/i

const MARKS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => MARKS[mark]!)

/** Writes only elements and attributes that the specification of Matrix lists. */
const markdown = new Marked({
  gfm: true,
  renderer: {
    // Markup of the agent is shown as it was written.
    html: ({ text }) => escapeHtml(text),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    image: ({ href, text }) => toLink(href, escapeHtml(text || href)),
    link({ href, tokens }) {
      return toLink(href, this.parser.parseInline(tokens))
    },
  },
})

const toLink = (href: string, words: string) =>
  LINK.test(href) ? `<a href="${escapeHtml(href)}">${words}</a>` : words

/** Converts Markdown to HTML for clients; undefined if the text has no format. */
export function toHtml(text: string): string | undefined {
  const html = (markdown.parse(text, { async: false }) as string).trim()
  return html === `<p>${escapeHtml(text.trim())}</p>` ? undefined : html
}
