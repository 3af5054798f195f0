import { Box, Flex, Typography } from '@strapi/design-system';
import { WarningCircle } from '@strapi/icons';
import type { ReactNode } from 'react';

interface NoticeProps {
  /** `neutral` is for something that is known and intended. */
  readonly variant: 'danger' | 'warning' | 'neutral';
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A problem that is shown for as long as it exists. Unlike the design system's alert, it cannot be closed. */
export const Notice = ({ variant, title, children, action }: NoticeProps) => (
  <Box
    role={variant === 'danger' ? 'alert' : 'status'}
    background={`${variant}100`}
    borderColor={`${variant}200`}
    hasRadius
    padding={4}
  >
    <Flex gap={3} alignItems="flex-start" wrap="wrap">
      <Flex gap={3} alignItems="flex-start" flex="1" minWidth="min(28rem, 100%)">
        <Flex paddingTop={1}>
          <WarningCircle fill={`${variant}700`} aria-hidden />
        </Flex>
        <Flex direction="column" alignItems="flex-start" gap={1} flex="1">
          <Typography fontWeight="bold" textColor="neutral800">
            {title}
          </Typography>
          <Typography textColor="neutral800">{children}</Typography>
        </Flex>
      </Flex>
      {action}
    </Flex>
  </Box>
);
