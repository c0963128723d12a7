import type { Plugin } from 'vite'

const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g

/** Moves the stylesheets behind the frame of the page, which would not be painted before they are loaded. */
export const stylesLast = (): Plugin => ({
  name: 'styles-last',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const links = html.match(STYLESHEET) ?? []
      return html.replace(STYLESHEET, '').replace(/\s*<\/body>/, `${links.join('')}$&`)
    },
  },
})
