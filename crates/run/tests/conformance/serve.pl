# A server for the conformance suites: `serve.pl PORT` replies to every request with its path; a request for /die ends it.
# `serve.pl get PORT PATH` prints the reply.
use strict;
use warnings;
use IO::Socket::INET;

$| = 1;
if ($ARGV[0] eq 'get') {
    my $server = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $ARGV[1]) or die "cannot connect: $!\n";
    print $server "GET /$ARGV[2] HTTP/1.0\r\n\r\n";
    my $is_body = 0;
    while (my $line = <$server>) {
        print $line if $is_body;
        $is_body ||= $line eq "\r\n";
    }
    exit;
}
my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1)
    or die "cannot listen: $!\n";
while (my $client = $socket->accept) {
    my $request = <$client>;
    # A probe only connects.
    my ($path) = ($request // '') =~ m{^GET /(\S*)} or next;
    print "request for $path\n";
    exit 7 if $path eq 'die';
    print $client "HTTP/1.0 200 OK\r\n\r\n$path\n";
    close $client;
}
