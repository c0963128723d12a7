import Router, { type Layer } from '@koa/router'

/** A declared path with its entries by method; `rank` sorts literal segments before parameters. */
interface DeclaredPath<Entry> {
  layer: Layer
  rank: string
  entries: Map<string, Entry>
}

/**
 * Finds the entry that is declared for a method and a path. Patterns are matched by @koa/router, which would
 * try one path after the other: here a path is only tried if it has as many segments, and the same first one.
 */
export function createRouteTable<Entry>() {
  const router = new Router()
  const groups = new Map<string, DeclaredPath<Entry>[]>()

  /** Returns the declared paths that match, the closest first. */
  const listMatching = (path: string): DeclaredPath<Entry>[] => {
    const [key, wildcardKey] = keysOf(path)
    const candidates = [...(groups.get(key) ?? []), ...(groups.get(wildcardKey) ?? [])]
    return candidates.filter(({ layer }) => layer.match(path))
  }

  return {
    add(method: string, path: string, entry: Entry): void {
      const [literalKey, wildcardKey] = keysOf(path)
      const key = literalKey.includes(':') ? wildcardKey : literalKey
      const group = groups.get(key) ?? []
      groups.set(key, group)
      const rank = path.replace(/:\w+/g, '\uffff')
      const declared = group.find(({ layer }) => layer.path === path)
      if (declared) declared.entries.set(method, entry)
      else {
        const layer = router.register(path, ['get'], () => undefined) as Layer
        group.push({ layer, rank, entries: new Map([[method, entry]]) })
        group.sort((one, other) => (one.rank < other.rank ? -1 : 1))
      }
    },

    find(method: string, path: string): { entry: Entry; params: Record<string, string> } | undefined {
      const declaredMethod = method === 'HEAD' ? 'GET' : method
      for (const { layer, entries } of listMatching(path)) {
        const entry = entries.get(declaredMethod)
        if (entry) return { entry, params: layer.params(path, layer.captures(path)) }
      }
      return undefined
    },

    /** Lists the methods of the closest path that matches. */
    methodsOf(path: string): string[] {
      const methods = [...(listMatching(path)[0]?.entries.keys() ?? [])]
      return methods.flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method]))
    },
  }
}

/** Returns the keys of the groups in which a path may be: by its first segments, and of paths that begin with a parameter. */
function keysOf(path: string): [key: string, wildcardKey: string] {
  const segments = path.toLowerCase().replace(/\/$/, '').split('/')
  const first = segments.slice(0, 3).join('/')
  return [`${segments.length} ${first}`, `${segments.length} *`]
}
