package receiver

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// counting is a listener that counts the connections that it accepts, and knows whether others wait for that.
type counting struct {
	net.Listener
	socket *os.File // another descriptor of the same socket
	raw    syscall.RawConn

	mu       sync.Mutex // held from before a connection leaves the queue of the system until it is counted
	accepted int
}

// countConns returns a listener in the place of ln, and a function that reports whether nobody has connected yet.
func countConns(ln net.Listener) (instead net.Listener, silent func() bool) {
	never := func() bool { return false }
	tcp, is := ln.(*net.TCPListener)
	if !is {
		return ln, never
	}
	socket, err := tcp.File()
	if err != nil {
		return ln, never
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		_ = socket.Close()
		return ln, never
	}
	c := &counting{Listener: ln, socket: socket, raw: raw}
	return c, c.silent
}

// Accept implements net.Listener.
func (c *counting) Accept() (net.Conn, error) {
	var fd int
	var failed error
	err := c.raw.Read(func(socket uintptr) (done bool) {
		fd, failed = c.next(int(socket))
		return !errors.Is(failed, unix.EAGAIN)
	})
	switch {
	case err != nil:
		return nil, net.ErrClosed
	case failed != nil:
		return nil, failed
	}
	file := os.NewFile(uintptr(fd), "connection")
	defer func() { _ = file.Close() }() // the connection has a descriptor of its own
	return net.FileConn(file)
}

// next takes a connection from the queue of the system, and counts it.
func (c *counting) next(socket int) (fd int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		fd, _, err = unix.Accept4(socket, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case err == nil:
			c.accepted++
			return fd, nil
		case !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.ECONNABORTED):
			return 0, err
		}
	}
}

// silent reports whether no connection was accepted and none is pending.
func (c *counting) silent() (is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.accepted > 0 {
		return false
	}
	_ = c.raw.Control(func(socket uintptr) { // an error means that it is closed
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(socket), Events: unix.POLLIN}}, 0)
		is = n == 0 && err == nil
	})
	return is
}

// Close implements net.Listener.
func (c *counting) Close() error { return errors.Join(c.socket.Close(), c.Listener.Close()) }
