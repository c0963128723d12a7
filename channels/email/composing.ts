import { Marked } from 'marked'

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const SAFE_LINK = /^(?:https?:|mailto:|tel:)/i

/** Renders Markdown as HTML without raw HTML, pictures of other servers, or links of other schemes. */
const markdown = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => escapeHtml(text === '' ? href : `${text} (${href})`),
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      return SAFE_LINK.test(href) ? `<a href="${escapeHtml(href)}">${words}</a>` : words
    },
  },
})

const STYLE =
  'pre{background:#f4f4f5;padding:8px;white-space:pre-wrap}blockquote{border-left:3px solid #ccc;margin-left:0;padding-left:10px}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px}'

/** Returns an HTML page with a text in Markdown. */
export const toHtml = (text: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><style>${STYLE}</style></head><body>${markdown.parse(text, { async: false })}</body></html>`
