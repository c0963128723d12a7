/** The entries of one declared path by method, each with the names of its parameters. */
type Methods<Entry> = Map<string, { entry: Entry; names: string[] }>

/** The declared paths with the same first segments. */
interface Branch<Entry> {
  literals: Map<string, Branch<Entry>>
  /** The branches below a segment with a parameter, such as `:id` or `:id.pdf`, by the source of its expression. */
  patterns: Map<string, { pattern: RegExp; branch: Branch<Entry> }>
  methods: Methods<Entry>
}

/** A declared path that matches, with the texts in the places of its parameters. */
interface Match<Entry> {
  methods: Methods<Entry>
  values: string[]
}

/**
 * Finds the entry that is declared for a method and a path. Letters match in either case, a slash may follow the path,
 * and in each segment a literal takes precedence over a parameter.
 */
export function createRouteTable<Entry>() {
  const root = createBranch<Entry>()
  /** Returns the declared paths that match, the closest first. */
  const match = (path: string) => collectMatches(root, segmentsOf(path), 0, [], [])

  return {
    add(method: string, path: string, entry: Entry): void {
      const branch = segmentsOf(path).reduce(branchBelow, root)
      branch.methods.set(method, { entry, names: [...path.matchAll(PARAMETER)].map(([, name]) => name!) })
    },

    find(method: string, path: string): { entry: Entry; params: Record<string, string> } | undefined {
      const declaredMethod = method === 'HEAD' ? 'GET' : method
      for (const { methods, values } of match(path)) {
        const declared = methods.get(declaredMethod)
        if (!declared) continue
        const { entry, names } = declared
        return { entry, params: Object.fromEntries(names.map((name, at) => [name, decode(values[at]!)])) }
      }
      return undefined
    },

    /** Lists the methods of the closest path that matches. */
    methodsOf(path: string): string[] {
      const declared = [...(match(path)[0]?.methods.keys() ?? [])]
      return declared.flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method]))
    },
  }
}

const PARAMETER = /:(\w+)/g

const createBranch = <Entry>(): Branch<Entry> => ({
  literals: new Map(),
  patterns: new Map(),
  methods: new Map(),
})

/** Returns the segments of a path without the empty one behind a slash at its end. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/')
  if (segments.at(-1) === '') segments.pop()
  return segments
}

/** Returns the branch of a declared segment, which is made if there is none yet. */
function branchBelow<Entry>({ literals, patterns }: Branch<Entry>, segment: string): Branch<Entry> {
  if (!segment.includes(':')) {
    const key = segment.toLowerCase()
    const branch = literals.get(key) ?? createBranch()
    literals.set(key, branch)
    return branch
  }
  const source = segment.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&').replace(PARAMETER, '(.+?)')
  const { pattern, branch } = patterns.get(source) ?? {
    pattern: new RegExp(`^${source}$`, 'i'),
    branch: createBranch<Entry>(),
  }
  patterns.set(source, { pattern, branch })
  return branch
}

/** Adds the paths below a branch that match the segments from `index` on, literals first. */
function collectMatches<Entry>(
  { literals, patterns, methods }: Branch<Entry>,
  segments: readonly string[],
  index: number,
  values: string[],
  matches: Match<Entry>[],
): Match<Entry>[] {
  const segment = segments[index]
  if (segment === undefined) {
    if (methods.size > 0) matches.push({ methods, values })
    return matches
  }
  const literal = literals.get(segment.toLowerCase())
  if (literal) collectMatches(literal, segments, index + 1, values, matches)
  for (const { pattern, branch } of patterns.values()) {
    const captured = pattern.exec(segment)
    if (captured) collectMatches(branch, segments, index + 1, [...values, ...captured.slice(1)], matches)
  }
  return matches
}

/** A value whose percent-encoding is malformed stays as it is. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
