import { Box, Flex, Typography } from '@strapi/design-system';
import { WarningCircle } from '@strapi/icons';
import type { ReactNode } from 'react';

interface NoticeProps {
  readonly variant: 'danger' | 'warning';
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Something that is wrong for as long as it is shown: unlike the design system's alert it cannot be closed. */
export const Notice = ({ variant, title, children, action }: NoticeProps) => (
  <Box
    role={variant === 'danger' ? 'alert' : 'status'}
    background={`${variant}100`}
    borderColor={`${variant}200`}
    hasRadius
    padding={4}
  >
    <Flex gap={3} alignItems="flex-start">
      <Flex paddingTop={1}>
        <WarningCircle fill={`${variant}700`} aria-hidden />
      </Flex>
      <Flex direction="column" alignItems="flex-start" gap={1} flex="1">
        <Typography fontWeight="bold" textColor="neutral800">
          {title}
        </Typography>
        <Typography textColor="neutral800">{children}</Typography>
      </Flex>
      {action}
    </Flex>
  </Box>
);
