import { LoaderCircle } from 'lucide-react'
import { cx } from '@/lib/cx'

export function Spinner({ size = 16, className }: { size?: number; className?: string }) {
  return <LoaderCircle size={size} aria-hidden className={cx('turning', className)} />
}
