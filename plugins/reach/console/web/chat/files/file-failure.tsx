import { baseName } from '../../agents/files.ts'
import { t } from '../../i18n/words.ts'
import { readFailure } from '../../server/failure.ts'
import { Alert } from '../../ui/alert.tsx'
import { Failure } from '../../ui/failure.tsx'

interface Props {
  path: string
  error: unknown
  onRetry(): unknown
}

/** Failures that are the same when the file is read again. */
const LASTING = /^(FILE_UNUSABLE|DOCUMENT_(?!TIMEOUT))/

/** Why a file of the workspace is not shown. */
export function FileFailure({ path, error, onRetry }: Props) {
  const { code = '' } = readFailure(error)
  if (code === 'NOT_FOUND') return <Alert>{t('chat.file_missing', { name: baseName(path) })}</Alert>
  return <Failure error={error} onRetry={LASTING.test(code) ? undefined : () => void onRetry()} />
}
