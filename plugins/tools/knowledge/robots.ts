/** A rule of robots.txt. */
interface Rule {
  allow: boolean
  path: string
}

/** Decides if a robots.txt allows a program to read an address (RFC 9309). */
export function isAllowed(robots: string, agent: string, { pathname, search }: URL): boolean {
  const groups = parseGroups(robots)
  const own = groups.filter(({ agents }) => agents.includes(agent.toLowerCase()))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  const path = pathname + search
  // The longest rule wins, and of two that are equally long the one that allows.
  const [best] = chosen
    .flatMap(({ rules }) => rules)
    .filter((rule) => matches(rule.path, path))
    .sort((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow))
  return best?.allow ?? true
}

function parseGroups(robots: string): { agents: string[]; rules: Rule[] }[] {
  const groups: { agents: string[]; rules: Rule[] }[] = []
  let isOpen = false
  for (const line of robots.split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    const content = value.trim()
    switch (name.toLowerCase()) {
      case 'user-agent':
        // Several names in a row share the rules that follow.
        if (!isOpen) groups.push({ agents: [], rules: [] })
        isOpen = true
        groups.at(-1)!.agents.push(content.toLowerCase())
        break
      case 'allow':
      case 'disallow':
        isOpen = false
        if (content) groups.at(-1)?.rules.push({ allow: name.toLowerCase() === 'allow', path: content })
    }
  }
  return groups
}

/** Compares without a regular expression, whose time a hostile pattern could stretch. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...otherParts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let position = first.length
  for (const [index, part] of otherParts.entries()) {
    if (isWhole && index === otherParts.length - 1)
      return path.length - part.length >= position && path.endsWith(part)
    const start = path.indexOf(part, position)
    if (start < 0) return false
    position = start + part.length
  }
  return !isWhole || position === path.length
}
