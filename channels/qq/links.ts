const MARKDOWN_LINK = /!?\[([^\]\n]*)\]\(\s*<?([^()\s<>]+)>?(?:\s+"[^"\n]*")?\s*\)/g
const SCHEME = /\b(?:https?|ftp):\/\//gi
const HOST = /\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}\b/gi

/** The same text with addresses that can still be read, but that QQ does not take for links. */
export function defuseLinks(text: string): string {
  const unfolded = text.replace(MARKDOWN_LINK, (_, words: string, address: string) =>
    words && words !== address ? `${words} (${address})` : address,
  )
  return defuseWords(unfolded)
}

/** The same without taking links of markdown apart, for a text of which only a part is known yet. */
export const defuseWords = (text: string): string =>
  text.replace(SCHEME, '').replace(HOST, (host) => host.replaceAll('.', '[.]'))
