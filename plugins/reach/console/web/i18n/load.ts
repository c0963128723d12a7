import enStart from './en/start.ts'
import { language } from './language.ts'
import { addWords } from './words.ts'
import zhStart from './zh/start.ts'

/** Adds the texts that the page needs before somebody has signed in. */
export const addStartWords = (): void => addWords(language === 'zh' ? zhStart : enStart)

/** Loads all other texts. */
const loadAppWords = async () =>
  addWords((await (language === 'zh' ? import('./zh/app.ts') : import('./en/app.ts'))).default)

/** Returns a function that loads a module together with the texts that it needs. */
export const withAppWords =
  <Module>(load: () => Promise<Module>) =>
  async (): Promise<Module> =>
    (await Promise.all([load(), loadAppWords()]))[0]
