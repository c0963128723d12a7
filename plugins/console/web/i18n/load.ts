import { language } from './language.ts'
import { addWords } from './words.ts'

/** Loads the texts that the page needs before somebody has signed in. */
export const loadStartWords = async () =>
  addWords((await (language === 'zh' ? import('./zh/start.ts') : import('./en/start.ts'))).default)

/** Loads all other texts. */
export const loadAppWords = async () =>
  addWords((await (language === 'zh' ? import('./zh/app.ts') : import('./en/app.ts'))).default)
