import { Menu } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { owns, useAccount } from '../session/account.ts'

interface Props {
  row: { is_owner: boolean; can_edit: boolean }
  onOpen(): void
}

/** The entry of a menu that opens the sharing sheet, for people who may share the thing or see who can use it. */
export function ShareItem({ row, onOpen }: Props) {
  const canShare = owns(useAccount(), row)
  if (!canShare && !row.can_edit) return null
  return <Menu.Item onClick={onOpen}>{t(canShare ? 'sharing.open' : 'sharing.view')}</Menu.Item>
}
