import { Skeleton } from '@mantine/core'
import { t } from '../i18n/words.ts'

/** A placeholder for something that is being loaded; the height is in pixels. */
export const Loading = ({ height }: { height: number }) => (
  <Skeleton height={height} role="status" aria-label={t('common.loading')} />
)
