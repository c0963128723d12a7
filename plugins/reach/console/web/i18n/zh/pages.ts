const files = import.meta.glob<Record<string, string>>(
  './{account,agents,audit,channels,connectors,did,fields,groups,import,invites,knowledge,memory,overview,people,plugins,push,schedules,shares,sharing,skills,sso,storage,trajectory,triggers,two-factor,usage,web-search,webhooks}.json',
  { eager: true, import: 'default' },
)

/** The Chinese texts of the pages beside the chat, by the names of their files. */
export default Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [path.slice(2, -'.json'.length), texts]),
)
