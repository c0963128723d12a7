import { existsSync, readdirSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Command } from '#plugin-api'
import {
  hasDeclarations,
  isTemplate,
  NAME_PATTERN,
  SERVER,
  TEMPLATES,
  writePackage,
} from './package-files.ts'

/** `svc plugin new`: writes the folder of a package that builds, passes its test and can be installed. */
export const newCommand: Command<unknown> = {
  name: 'plugin new',
  summary:
    'Create the folder of a new channel kind, provider kind, search engine or feature, in TypeScript with a test',
  arguments: [
    { name: 'template', summary: TEMPLATES.join(', '), required: true },
    { name: 'name', summary: 'the name of the package and of its folder', required: true },
  ],
  options: [
    { flags: '--in <folder>', summary: 'parent of the new folder (default: current folder)' },
    { flags: '--console', summary: 'with a button in the console; for a feature' },
  ],
  database: false,
  run({ args, options, stdout, stderr }) {
    const [template, name] = args as [string, string]
    const refuse = (sentence: string) => {
      stderr.write(`svc: ${sentence}\n`)
      return 1
    }
    if (!isTemplate(template)) return refuse(`"${template}" is not a template: use ${TEMPLATES.join(', ')}`)
    if (!NAME_PATTERN.test(name))
      return refuse(
        `"${name}" is not a valid name: use at most 64 lowercase letters, digits and "-", starting with a letter`,
      )
    const hasConsole = options.console === true
    if (hasConsole && template !== 'feature')
      return refuse(`"--console" is for a feature: a ${template} has no module of the console`)
    const folder = resolve(typeof options.in === 'string' ? options.in : '.', name)
    if (existsSync(folder) && readdirSync(folder).length > 0)
      return refuse(`${folder} is not empty: choose another name, or remove the folder`)
    writePackage({ template, name, folder, hasConsole })
    const steps = [`cd ${relative('.', folder)}`, 'npm install', 'npm test', 'npm run check']
    if (!hasDeclarations()) steps.unshift(`npm run types --prefix ${SERVER}`)
    stdout.write(`Wrote ${folder}. Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}\n`)
    stdout.write('Its README.md explains how to install and publish it.\n')
    return 0
  },
}
