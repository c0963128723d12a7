import Router, { type Layer } from '@koa/router'

/** A declared path with its entries by method. */
interface DeclaredPath<Entry> {
  layer: Layer
  entries: Map<string, Entry>
}

/** The paths that continue from here: by their next segment if it is literal, and by a parameter. */
interface Branch<Entry> {
  literals: Map<string, Branch<Entry>>
  parameter: Branch<Entry> | undefined
  ending: DeclaredPath<Entry>[]
}

/**
 * Finds the entry that is declared for a method and a path. @koa/router, which would try one path after the other, only
 * reads the parameters of the path that a tree of segments has led to.
 */
export function createRouteTable<Entry>() {
  const router = new Router()
  const root = createBranch<Entry>()

  /** Returns the declared paths that match, the closest first: a literal segment is closer than a parameter. */
  function* match(
    path: string,
    segments = toSegments(path),
    at = root,
    depth = 0,
  ): Generator<DeclaredPath<Entry>> {
    if (depth === segments.length) {
      for (const declared of at.ending) if (declared.layer.match(path)) yield declared
      return
    }
    const literal = at.literals.get(segments[depth]!)
    if (literal) yield* match(path, segments, literal, depth + 1)
    if (at.parameter) yield* match(path, segments, at.parameter, depth + 1)
  }

  return {
    add(method: string, path: string, entry: Entry): void {
      let branch = root
      for (const segment of toSegments(path)) {
        const next = segment.includes(':') ? branch.parameter : branch.literals.get(segment)
        const reached = next ?? createBranch<Entry>()
        if (segment.includes(':')) branch.parameter = reached
        else branch.literals.set(segment, reached)
        branch = reached
      }
      const declared = branch.ending.find(({ layer }) => layer.path === path)
      if (declared) declared.entries.set(method, entry)
      else {
        const layer = router.register(path, ['get'], () => undefined) as Layer
        branch.ending.push({ layer, entries: new Map([[method, entry]]) })
      }
    },

    find(method: string, path: string): { entry: Entry; params: Record<string, string> } | undefined {
      const declaredMethod = method === 'HEAD' ? 'GET' : method
      for (const { layer, entries } of match(path)) {
        const entry = entries.get(declaredMethod)
        if (entry) return { entry, params: layer.params(path, layer.captures(path)) }
      }
      return undefined
    },

    /** Lists the methods of the closest path that matches. */
    methodsOf(path: string): string[] {
      const [closest] = match(path)
      const methods = [...(closest?.entries.keys() ?? [])]
      return methods.flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method]))
    },
  }
}

const createBranch = <Entry>(): Branch<Entry> => ({ literals: new Map(), parameter: undefined, ending: [] })

/** Returns the segments of a path, whose case and last slash do not count. */
const toSegments = (path: string): string[] => path.toLowerCase().replace(/\/$/, '').split('/')
