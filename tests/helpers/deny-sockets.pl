# Runs a program without the network, as the sandboxes of some harnesses do it: system calls about it say EPERM.
# usage: perl deny-sockets.pl codex|all PROGRAM [ARGUMENT ...]
# codex: sockets other than Unix ones, and to connect, bind, listen or shut down any. all: pairs of Unix sockets, too.
# Linux on x86-64, as the numbers are.
use strict;
use warnings;

my $which = shift @ARGV;
my ($socket, $socketpair) = (41, 53);
# connect accept accept4 bind listen getpeername getsockname shutdown sendto sendmmsg recvmmsg getsockopt setsockopt
my @denied = (42, 43, 288, 49, 50, 52, 51, 48, 44, 307, 299, 55, 54);
push @denied, $socketpair if $which eq 'all';

# A program of the Berkeley Packet Filter: code, jump if true, jump if false, operand.
my @program;
sub instruction { push @program, pack 'SCCL', @_ }
instruction(0x20, 0, 0, 0);    # the system call's number
instruction(0x15, @denied - $_ + 4, 0, $denied[$_]) for 0 .. $#denied;
instruction(0x15, 1, 0, $socket);
instruction(0x15, 0, 2, $socketpair);
instruction(0x20, 0, 0, 16);   # its first argument: AF_UNIX is 1
instruction(0x15, 0, 1, 1);
instruction(0x06, 0, 0, 0x7fff0000);    # allowed
instruction(0x06, 0, 0, 0x00050001);    # EPERM

my $code = join '', @program;
my $filter = pack 'Sx![Q]P', scalar @program, $code;
syscall(157, 38, 1, 0, 0, 0) == 0 or die "no new privileges: $!\n";
syscall(157, 22, 2, $filter, 0, 0) == 0 or die "filter: $!\n";
exec @ARGV or die "$ARGV[0]: $!\n";
