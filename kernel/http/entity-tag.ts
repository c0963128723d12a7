/** True if a condition lists this entity tag, or any; weak tags count only with `weak` (RFC 9110, 8.8.3.2). */
export function listsTag(list: string, etag: string, { weak }: { weak: boolean }): boolean {
  const tags = list.split(',').map((tag) => (weak ? tag.trim().replace(/^W\//, '') : tag.trim()))
  return tags.includes('*') || tags.includes(`"${etag}"`)
}
