import { findWord, namesIn } from '../i18n/words.ts'

/** Lists the actions to choose from. */
export const listActions = (): string[] => namesIn('did')

/** An action in words; actions of plugins from outside keep their names. */
export const describeAction = (action: string): string =>
  findWord(`did.${action}`) ?? action.replaceAll(/[._]/g, ' ')
