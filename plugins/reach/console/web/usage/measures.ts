import type { components } from '#client'
import { formatCompact, formatDuration, formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'

type Sums = Pick<components['schemas']['UsageSums'], 'pictures' | 'characters' | 'seconds' | 'searches'>

/** The pictures, characters, audio and searches of calls in words; a measure that calls do not have is left out. */
export function listMeasures({
  pictures,
  characters,
  seconds,
  searches,
}: Sums): { label: string; value: string }[] {
  return [
    ...(pictures ? [{ label: t('usage.pictures'), value: formatNumber(pictures) }] : []),
    ...(characters ? [{ label: t('usage.characters'), value: formatCompact(characters) }] : []),
    ...(seconds ? [{ label: t('usage.audio'), value: formatDuration(seconds) }] : []),
    ...(searches ? [{ label: t('usage.searches'), value: formatNumber(searches) }] : []),
  ]
}
