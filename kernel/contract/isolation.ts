import { AsyncLocalStorage } from 'node:async_hooks'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

const running = new AsyncLocalStorage<string>()

/** The name of the third-party plugin whose code is running, or began the running work. */
export const runningPlugin = (): string | undefined => running.getStore()

/** Runs code of a third-party plugin, so that all work it begins is attributed to it. */
export function runAs<Result>(owner: string, act: () => Result): Result {
  active.add(owner)
  return running.run(owner, () => {
    const result = act()
    if (!(result instanceof Promise)) return result
    pending.set(owner, (pending.get(owner) ?? 0) + 1)
    const settle = () => {
      active.add(owner)
      pending.set(owner, pending.get(owner)! - 1)
    }
    return result.finally(settle) as Result
  })
}

/** The third-party plugins whose code has been called, or has ended its work, since they were last taken. */
const active = new Set<string>()
/** The number of promises of each third-party plugin that have not been settled. */
const pending = new Map<string, number>()

/** Returns the third-party plugins that have been at work since the last call. */
export function takeActivePlugins(): string[] {
  const names = [...active]
  active.clear()
  for (const [name, count] of pending) if (count > 0) active.add(name)
  return names
}

/**
 * Copies a declaration of a third-party plugin; its functions run as the plugin's. Throws one sentence if an object
 * contains itself, which a copy cannot.
 */
export const confine = <Value>(owner: string, value: Value): Value => copyConfined(owner, value, []) as Value

/** Copies the value that `parents` lead to: the objects around it, each with the key of the next one. */
function copyConfined(owner: string, value: unknown, parents: readonly Parent[]): unknown {
  if (typeof value === 'function')
    return function (this: unknown, ...args: unknown[]) {
      return runAs(owner, () => Reflect.apply(value, this, args))
    }
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value
  const path = parents.map(({ key }) => `/${key}`).join('')
  if (parents.some(({ object }) => object === value))
    throw new Error(`its declaration contains itself at ${path}; declare data that JSON can hold`)
  if (parents.length >= MAX_DEPTH)
    throw new Error(`its declaration is nested too deeply at ${path.slice(0, 60)}`)
  const copyItem = (key: string | number, item: unknown) =>
    copyConfined(owner, item, [...parents, { object: value, key }])
  if (Array.isArray(value)) return value.map((item, index) => copyItem(index, item))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyItem(key, item)]))
}

/** The levels of objects in a declaration, which no schema comes near. */
const MAX_DEPTH = 100

interface Parent {
  object: object
  key: string | number
}

/** A folder with third-party code, as its real path, and the name of its plugin or entry. */
export interface ForeignFolder {
  name: string
  folder: string
}

/** Finds the plugin of an uncaught error: the one whose code began the work, else that of the innermost folder in its stack. */
export const findCulprit = (error: unknown, folders: readonly ForeignFolder[]): string | undefined =>
  runningPlugin() ?? ownerOf(inspect(error).match(/file:\/\/[^\s)]+?(?=:\d+:\d+)/g) ?? [], folders)

/** Returns the name of the first of these files' folders that holds third-party code. */
function ownerOf(urls: readonly string[], folders: readonly ForeignFolder[]): string | undefined {
  for (const url of urls) {
    const owner = folders.find(({ folder }) => url.startsWith(`${pathToFileURL(folder).href}/`))
    if (owner) return owner.name
  }
  return undefined
}
