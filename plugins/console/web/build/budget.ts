import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/** The most JavaScript that a first load may need, in bytes compressed by gzip, and the modules that it begins with. */
const BUDGETS = [
  { load: 'the sign-in page', modules: ['index.html'], bytes: 120_000 },
  { load: 'a chat', modules: ['index.html', 'app.tsx', 'chat/chat-page.tsx'], bytes: 260_000 },
]

/** Fails a build whose first loads are too large. */
export const checkBudget = (): Plugin => ({
  name: 'budget',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
    for (const { load, modules, bytes } of BUDGETS) {
      const needed = new Set(modules.flatMap((module) => findWithImports(module, chunks)))
      const size = [...needed].reduce((sum, { code }) => sum + gzipSync(code).length, 0)
      const sizes = `${load} loads ${(size / 1000).toFixed(1)} kB of at most ${bytes / 1000} kB`
      if (size > bytes) this.error(sizes)
      this.info(sizes)
    }
  },
})

/** The chunk of a module that is loaded on demand, with all that it imports at once. */
function findWithImports(module: string, chunks: Rolldown.OutputChunk[]) {
  const found = new Set<Rolldown.OutputChunk>()
  const add = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || found.has(chunk)) return
    found.add(chunk)
    for (const file of chunk.imports) add(chunks.find(({ fileName }) => fileName === file))
  }
  add(chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/web/${module}`)))
  if (found.size === 0) throw new Error(`No chunk begins with ${module}.`)
  return [...found]
}
