import { Badge } from '@mantine/core'
import { t } from '../i18n/words.ts'

interface Props {
  is_owner: boolean
  /** The username of the owner; null if it belongs to the administrators. */
  owner: string | null
  /** True if everyone on the server can use it. */
  is_shared?: boolean
}

/** Says who shares something with the account, or that the account shares it with everyone; undefined for neither. */
export function describeSharing({ is_owner, owner, is_shared }: Props): string | undefined {
  if (!is_owner && owner !== null) return t('sharing.from', { owner })
  return is_shared ? t('sharing.with_everyone') : undefined
}

/** Says in a list how something is shared. */
export function SharedSign(props: Props) {
  const text = describeSharing(props)
  if (!text) return null
  return (
    <Badge variant="default" radius="sm" fw={500} tt="none">
      {text}
    </Badge>
  )
}
