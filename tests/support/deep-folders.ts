import { execFileSync } from 'node:child_process'

/** Makes a chain of folders, whatever its length, with the file `end.txt` at its end. */
export function makeDeep(root: string, { name, levels }: { name: string; levels: number }): void {
  const script = `
    const { mkdirSync, writeFileSync } = require('node:fs')
    const [name, levels] = process.argv.slice(1)
    for (let level = 0; level < levels; level += 1) {
      mkdirSync(name)
      process.chdir(name)
    }
    writeFileSync('end.txt', 'deep')`
  execFileSync(process.execPath, ['-e', script, name, String(levels)], { cwd: root })
}
