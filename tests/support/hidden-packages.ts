const toUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`

/** Returns the arguments of Node.js that run a module before the program. */
export const preload = (source: string): string[] => ['--import', toUrl(source)]

/** Returns the arguments of Node.js with which packages are not found whose names begin so, as if npm had left them out. */
export function hidePackages(...prefixes: string[]): string[] {
  const isHidden = `${JSON.stringify(prefixes)}.some((prefix) => specifier.startsWith(prefix))`
  const refuse = `throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' })`
  const hook = `export async function resolve(specifier, context, next) {
    if (${isHidden}) ${refuse}
    return next(specifier, context)
  }`
  return preload(`import { Module, register } from 'node:module'
    register(${JSON.stringify(toUrl(hook))})
    const resolve = Module._resolveFilename
    Module._resolveFilename = function (specifier, ...more) {
      if (${isHidden}) ${refuse}
      return resolve.call(this, specifier, ...more)
    }`)
}
