import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { relaxedLibrary, type System } from './relaxed-library.ts'

/** The program that serves a data directory, with its first arguments and its variables. */
interface EngineProgram {
  args: string[]
  env: Record<string, string | undefined>
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Chooses the embedded engine, or `mongod` on the PATH if the engine cannot run. Throws if neither exists. */
export function chooseProgram({
  runtimeDirectory,
  system,
  searchPath = process.env.PATH,
}: {
  runtimeDirectory: string
  system?: System
  searchPath?: string
}): EngineProgram {
  try {
    const library = relaxedLibrary({ runtimeDirectory, system })
    return { args: [pathOf('./engine-process.js')], env: { NAPI_RS_NATIVE_LIBRARY_PATH: library } }
  } catch (error) {
    const mongod = findProgram('mongod', searchPath)
    if (!mongod) throw error
    return { args: [pathOf('./mongod-process.js'), mongod], env: {} }
  }
}

function findProgram(name: string, searchPath = ''): string | undefined {
  const candidates = searchPath
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
