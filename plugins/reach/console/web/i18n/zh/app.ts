const files = import.meta.glob<Record<string, string>>('./*.json', { eager: true, import: 'default' })

/** The Chinese texts by the names of their files. */
export default Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [path.slice(2, -'.json'.length), texts]),
)
