const MARKDOWN_LINK = /!?\[([^\]\n]*)\]\(\s*<?([^()\s<>]+)>?(?:\s+"[^"\n]*")?\s*\)/g
const SCHEME = /\b(?:https?|ftp):\/\//gi
const HOST = /\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}\b/gi

/** Rewrites addresses so that people can read them, but QQ does not detect links. */
export function defuseLinks(text: string): string {
  const unfolded = text.replace(MARKDOWN_LINK, (_, words: string, address: string) =>
    words && words !== address ? `${words} (${address})` : address,
  )
  return defuseWords(unfolded)
}

/** Does the same without unfolding Markdown links, for a text that is only partly known. */
export const defuseWords = (text: string): string =>
  text.replace(SCHEME, '').replace(HOST, (host) => host.replaceAll('.', '[.]'))
